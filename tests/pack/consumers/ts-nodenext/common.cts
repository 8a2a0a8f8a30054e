import evidence = require("agent-evidence");
export const value: number | undefined = evidence.LIMITS.DEFAULT_MAX_ITEMS?.value;
