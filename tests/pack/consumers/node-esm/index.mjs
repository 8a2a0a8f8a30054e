import { LIMITS } from "agent-evidence";
import * as citations from "agent-evidence/citations";
import * as ledger from "agent-evidence/ledger";
import * as gate from "agent-evidence/gate";
import * as transcripts from "agent-evidence/transcripts";
import * as anchors from "agent-evidence/anchors";
import * as node from "agent-evidence/node";
import * as memory from "agent-evidence/memory";
import manifest from "agent-evidence/package.json" with { type: "json" };

const entries = { citations, ledger, gate, transcripts, anchors, node, memory };
for (const [name, entry] of Object.entries(entries)) {
  if (typeof entry.EvidenceError !== "function") throw new Error(`${name} has no EvidenceError`);
}
console.log(manifest.name, LIMITS.DEFAULT_MAX_ITEMS.value, citations.LIMITS === LIMITS);
