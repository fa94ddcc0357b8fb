// What the stream helper makes of a response, as JSON: node follow.mjs RESPONSE_ID

import { alice, all } from "./server.mjs";

const stream = alice.responses.stream({ response_id: process.argv[2] });
const events = await all(stream);
console.log(JSON.stringify({ types: events.map((event) => event.type), final: await stream.finalResponse() }));
