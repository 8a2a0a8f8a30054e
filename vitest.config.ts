import { defineConfig } from "vitest/config";

const common = { server: { deps: { external: [/\/pkg\/dist\//] } } };

export default defineConfig({
  test: {
    projects: [
      { test: { ...common, name: "node", include: ["tests/js/**/*.test.ts"], testTimeout: 60_000 } },
      { test: { ...common, name: "browser", include: ["tests/browser/**/*.test.ts"], testTimeout: 120_000, hookTimeout: 120_000, fileParallelism: false } },
      { test: { ...common, name: "pack", include: ["tests/pack/**/*.test.ts"], testTimeout: 300_000, hookTimeout: 300_000, fileParallelism: false } },
    ],
  },
});
