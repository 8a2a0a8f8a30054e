import "../load-node.js";
import "../platform-node.js";
export * from "../citations.js";
