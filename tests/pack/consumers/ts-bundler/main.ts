import { EvidenceError, LIMITS, init, type EvidenceErrorCode } from "agent-evidence";
import * as citations from "agent-evidence/citations";
import * as ledger from "agent-evidence/ledger";
import * as gate from "agent-evidence/gate";
import * as transcripts from "agent-evidence/transcripts";
import * as anchors from "agent-evidence/anchors";
import * as memory from "agent-evidence/memory";
import * as inline from "agent-evidence/inline";

const code: EvidenceErrorCode = new EvidenceError("INVALID_ARGUMENT", "").code;
const same: boolean = inline.EvidenceError === citations.EvidenceError;
const all: object[] = [citations, ledger, gate, transcripts, anchors, memory];
export const value: number | undefined = LIMITS.DEFAULT_MAX_ITEMS?.value;
export const started: Promise<void> = init(new URL("https://example.org/x.wasm"));
export { all, code, same };
