const { LIMITS } = require("agent-evidence");
for (const entry of ["citations", "ledger", "gate", "transcripts", "anchors", "node", "memory", "inline"]) {
  if (typeof require(`agent-evidence/${entry}`).EvidenceError !== "function") throw new Error(entry);
}
console.log(require("agent-evidence/package.json").name, LIMITS.DEFAULT_MAX_ITEMS.value, require("agent-evidence/gate").LIMITS === LIMITS);
