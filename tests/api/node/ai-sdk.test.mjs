// The AI SDK: a call that the server makes, a tool of its own and a further turn, on both APIs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";
import { lastAsked, script, THREE } from "./server.mjs";

const { SERVER_URL, ALICE } = process.env;
const openai = createOpenAI({ baseURL: `${SERVER_URL}/v1`, apiKey: ALICE });
const MODELS = { responses: openai.responses("wakeful"), chat: openai.chat("wakeful") };

const OURS = { name: "terminal", arguments: { command: "echo from the server" } };
const BROKEN = { name: "no_such_tool", arguments: {} };
const OWN = { name: "weather", arguments: { city: "Oslo" } };
const TURNS = [
  script({ calls: [OURS], text: "The server said it." }),
  script({ calls: [BROKEN], text: "It failed." }),
  script({ calls: [OWN], text: "Rain it is." }),
  script({ calls: [OWN, OURS], text: "Both are done." }),
  "Hello",
];
const ANSWERS = ["The server said it.", "It failed.", "Rain it is.", "Both are done.", THREE];

for (const api of ["responses", "chat"]) {
  for (const ask of [generateText, streamText]) {
    test(`${ask.name} on ${api}`, async () => {
      const cities = [];
      const execute = ({ city }) => (cities.push(city), `rain in ${city}`);
      const weather = tool({ inputSchema: z.object({ city: z.string() }), execute });
      const [messages, answers, called] = [[], [], []];
      for (const content of TURNS) {
        messages.push({ role: "user", content });
        const how = { model: MODELS[api], messages, tools: { weather }, stopWhen: stepCountIs(3), maxRetries: 0 };
        const made = await ask(how);
        answers.push(await made.text);
        called.push(...(await made.steps).flatMap((step) => step.toolCalls.map((call) => call.toolName)));
        messages.push(...(await made.responseMessages));
      }

      assert.deepEqual([answers, cities], [ANSWERS, ["Oslo", "Oslo"]]);
      const results = (await lastAsked()).filter((message) => message.role === "tool").map(({ content }) => content);
      const isTold = api === "responses";
      assert.deepEqual(called.filter((name) => name === "mcp.terminal").length, isTold ? 2 : 0);
      assert.equal(results.filter((content) => content.includes("from the server")).length, isTold ? 2 : 0);
      assert.equal(results.filter((content) => content.includes("unknown_tool")).length, isTold ? 1 : 0);
    });
  }
}
