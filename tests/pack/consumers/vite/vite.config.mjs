export default { worker: { format: "es" }, build: { target: "esnext" }, logLevel: "warn" };
