// The rows of the list by session id, in the order of the page.

import { dayName, startOfDay } from "../format.js";

export class Rows {
  #rows = new Map();

  get size() {
    return this.#rows.size;
  }

  put(rows) {
    for (const row of rows) this.#rows.set(row.session_id, row);
  }

  replace(rows) {
    this.#rows.clear();
    this.put(rows);
  }

  // Replaces the newest rows and keeps the older ones beyond them. Returns whether there were any.
  refresh(newest) {
    const last = newest.findLast((row) => !row.pinned);
    const beyond = [...this.#rows.values()].filter((row) => last && !row.pinned && row.updated_at < last.updated_at);
    this.replace([...newest, ...beyond]);
    return beyond.length > 0;
  }

  get(id) {
    return this.#rows.get(id);
  }

  remove(id) {
    this.#rows.delete(id);
  }

  // Pinned rows first, then by last change.
  ordered() {
    return [...this.#rows.values()].sort(
      (one, other) => other.pinned - one.pinned || other.updated_at.localeCompare(one.updated_at),
    );
  }

  // [{name, rows}]: Pinned, Today, Yesterday, Last week, and then months.
  groups(now = new Date()) {
    const groups = [];
    for (const row of this.ordered()) {
      const name = row.pinned ? "Pinned" : groupName(new Date(row.updated_at), now);
      if (groups.at(-1)?.name !== name) groups.push({ name, rows: [] });
      groups.at(-1).rows.push(row);
    }
    return groups;
  }
}

const MONTH = new Intl.DateTimeFormat("en", { month: "long" });
const MONTH_AND_YEAR = new Intl.DateTimeFormat("en", { month: "long", year: "numeric" });

function groupName(date, now) {
  const days = Math.round((startOfDay(now) - startOfDay(date)) / 86_400_000);
  if (days < 2) return dayName(date, now);
  if (days < 7) return "Last week";
  if (days < 31) return "Last month";
  return date.getFullYear() === now.getFullYear() ? MONTH.format(date) : MONTH_AND_YEAR.format(date);
}

// A session in view counts as read, even before the server knows.
export function isUnread(row, openId, isHidden = document.hidden) {
  return row.unread && (row.session_id !== openId || isHidden);
}

// A row has at most one mark, in this order: needs the reader, failed, running, unread.
export function markOf(row, isNew = row.unread) {
  if (row.needs_you) return "needs";
  if (isNew && row.last_status === "failed") return "fail";
  if (row.active_turn_id || row.running_tasks) return "live";
  return isNew ? "unread" : null;
}
