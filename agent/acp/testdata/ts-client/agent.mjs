// An mm process behind the SDK's client, with what it said.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Transform, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

export class Agent {
  updates = []; // of all sessions, not taken yet
  accepted = 0; // updates that the SDK found valid
  lines = []; // raw lines of stdout
  questions = [];
  answer = "allow"; // the option chosen in each question
  #waiting = [];

  constructor(cwd) {
    const env = { PATH: process.env.PATH, HOME: cwd, XDG_CONFIG_HOME: `${cwd}/.config` };
    this.process = spawn(process.env.MM, ["-acp", "-provider", "demo"], { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
    this.exited = once(this.process, "exit");
    const app = acp
      .client({ name: "mm-acp-client" })
      .onRequest(acp.methods.client.session.requestPermission, ({ params }) => {
        this.questions.push(params);
        return { outcome: { outcome: "selected", optionId: this.answer } };
      })
      .onNotification(acp.methods.client.session.update, ({ params }) => {
        this.accepted++;
        this.updates.push(params.update);
        this.#waiting = this.#waiting.filter((w) => !w(params.update));
      });
    const stream = acp.ndJsonStream(
      Writable.toWeb(this.process.stdin),
      Readable.toWeb(this.process.stdout.pipe(this.#recorder())),
    );
    this.connection = app.connect(stream);
  }

  #recorder() {
    let rest = "";
    return new Transform({
      transform: (chunk, _, done) => {
        const lines = (rest + chunk).split("\n");
        rest = lines.pop();
        this.lines.push(...lines);
        done(null, chunk);
      },
    });
  }

  initialize() {
    return this.request("initialize", { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {} });
  }

  request(method, params) {
    return this.connection.agent.request(method, params);
  }

  prompt(sessionId, text) {
    return this.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  }

  cancel(sessionId) {
    return this.connection.agent.notify("session/cancel", { sessionId });
  }

  // seen resolves with the first update that passes the test, past or coming.
  seen(test) {
    const update = this.updates.find(test);
    if (update) return Promise.resolve(update);
    return new Promise((resolve) => {
      this.#waiting.push((u) => test(u) && (resolve(u), true));
    });
  }

  // take returns the updates since the last call.
  take() {
    return this.updates.splice(0);
  }

  // close closes stdin and returns the exit code.
  async close() {
    this.process.stdin.end();
    const [code] = await this.exited;
    return code;
  }
}
