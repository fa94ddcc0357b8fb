export { AnsiWriter, ansiFragment } from "./ansi/writer.js";
