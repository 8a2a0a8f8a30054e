import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

/** Writes the service worker with the list of what it has to keep. */
function offline(): Plugin {
  return {
    name: "offline",
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        const files = ["./", ...Object.keys(bundle).filter((name) => name !== "index.html")];
        const prefix = "agent-evidence-";
        const version = createHash("sha256").update(files.join()).digest("hex").slice(0, 12);
        const constants = { PREFIX: prefix, CACHE: prefix + version, FILES: files };
        const head = Object.entries(constants).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};\n`);
        this.emitFile({ type: "asset", fileName: "offline.js", source: head.join("") + readFileSync(new URL("src/offline.js", import.meta.url), "utf8") });
      },
    },
  };
}

export default defineConfig({
  // Relative addresses: the folder works under any base path.
  base: "./",
  plugins: [offline()],
  worker: { format: "es" },
  build: { target: "es2022", assetsInlineLimit: 0, chunkSizeWarningLimit: 700, rolldownOptions: { checks: { pluginTimings: false } } },
});
