// A process that appends records until it is killed, and says which appends returned:
// node transcript-writer.mjs DIR CHAT WRITER SEED [COUNT]. Lines of stdout: the record's number.
import { writeSync } from "node:fs";
import { ChatTranscriptStore } from "agent-evidence";

const [dir, chat, writer, seed, count = "1000000"] = process.argv.slice(2);
const store = new ChatTranscriptStore({ dir });
let state = Number(seed) >>> 0;
const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
writeSync(1, "ready\n");
for (let number = 0; number < Number(count); number += 1) {
  // From 200 bytes to 1 MB, as many small ones as large ones of each size.
  const size = Math.floor(200 * 5000 ** random());
  store.appendSystem(chat, `${writer}-${number}`, "é".repeat(size >> 1));
  writeSync(1, `${number}\n`);
}
