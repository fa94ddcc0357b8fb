// What the form offers: models, and the chats that answers can go to. Fetched when the schedules are opened.

import { api } from "../api.js";
import { platformTitle } from "../doors/platforms.js";
import { me } from "../me.js";

const MOST_SESSIONS = 200;

// {models: [id], platforms: [name], chats: [{target, name}]}
export async function fetchChoices() {
  const [models, platforms, chats] = await Promise.all([fetchModels(), forOperator(fetchPlatforms), forOperator(fetchChats)]);
  return { models, platforms, chats: chats.filter(({ target }) => platforms.includes(target.split(":")[0])) };
}

// "Telegram, Ops" for a chat whose name is known, else "Telegram, -100:7".
export function targetWords(target, chats) {
  const [platform, ...ids] = target.split(":");
  const name = chats.find((chat) => chat.target === target)?.name || ids.join(":");
  return `${platformTitle(platform)}, ${name}`;
}

async function fetchModels() {
  const { models } = await api.get("/api/models");
  return models.map(({ id }) => id);
}

async function fetchPlatforms() {
  const { platforms } = await api.get("/api/platforms");
  return platforms.map(({ name }) => name);
}

// Sessions that chats have begun name their chats.
async function fetchChats() {
  const { sessions } = await api.get("/api/sessions", { limit: MOST_SESSIONS });
  const chats = sessions.filter(({ key, chat_id: id }) => key && id);
  const byTarget = new Map(chats.map((row) => [[row.platform, row.chat_id, row.thread_id].filter(Boolean).join(":"), row.chat_name]));
  return [...byTarget].map(([target, name]) => ({ target, name }));
}

// Only the operator may deliver to chats.
async function forOperator(fetch) {
  return me.is_operator ? fetch() : [];
}
