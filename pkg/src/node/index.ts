import "../load-node.js";
import "../platform-node.js";
export * from "../index.js";
