import { spawn } from "node:child_process";
const deed = spawn(process.env.DEED, process.argv.slice(2), { stdio: "inherit" });
process.on("SIGTERM", () => deed.kill("SIGTERM"));
deed.on("exit", (code) => process.exit(code ?? 1));
