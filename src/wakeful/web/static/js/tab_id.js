import { newId } from "./new_id.js";

const KEY = "wakeful.tab";

// The same after a reload.
export function tabId() {
  if (!sessionStorage.getItem(KEY)) sessionStorage.setItem(KEY, newId("tab"));
  return sessionStorage.getItem(KEY);
}
