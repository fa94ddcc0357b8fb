// The server and the scripted model endpoint that tests/api/test_node.py has started, and clients for them.

import { setTimeout as pause } from "node:timers/promises";
import OpenAI from "openai";

const { SERVER_URL, ENDPOINT_URL, ALICE, BOB } = process.env;

export const THREE = "token0 token1 token2 ";

/** A client of the official package that asks once. */
export function clientOf(apiKey, how = {}) {
  return new OpenAI({ baseURL: `${SERVER_URL}/v1`, apiKey, maxRetries: 0, timeout: 20_000, ...how });
}

export const alice = clientOf(ALICE);
export const bob = clientOf(BOB);
export const persistent = clientOf(ALICE, { maxRetries: 2 });

/** Words that make the endpoint do this. */
export function script(fields) {
  return `script: ${JSON.stringify(fields)}`;
}

export async function all(stream) {
  const events = [];
  for await (const event of await stream) events.push(event);
  return events;
}

/** The first events of a stream that is then left. */
export async function firstOf(stream, number) {
  const events = [];
  for await (const event of stream) {
    events.push(event);
    if (events.length === number) return events;
  }
  throw new Error(`the stream ended after ${events.length} events`);
}

export function textOf(events) {
  return events.map((event) => (event.type === "response.output_text.delta" ? event.delta : "")).join("");
}

/** Wait for something that nobody tells us about. */
export async function until(condition) {
  const end = Date.now() + 20_000;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error("it did not happen");
    await pause(20);
  }
}

/** What the endpoint has counted so far. */
export async function stats() {
  return (await fetch(`${ENDPOINT_URL}/stats`)).json();
}

/** What happens inside makes the server hang up on the endpoint, soon. */
export async function seeingTheModelStopped(happening) {
  const { dropped } = await stats();
  await happening();
  await until(async () => (await stats()).dropped > dropped);
}

/** The conversation that the model was last asked about. */
export async function lastAsked() {
  return (await (await fetch(`${ENDPOINT_URL}/requests`)).json()).at(-1).messages;
}
