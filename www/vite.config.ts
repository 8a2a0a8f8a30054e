import { defineConfig } from "vite";

export default defineConfig({
  // Relative addresses: the folder works under any base path.
  base: "./",
  worker: { format: "es" },
  build: { target: "es2022", assetsInlineLimit: 0, chunkSizeWarningLimit: 700 },
});
