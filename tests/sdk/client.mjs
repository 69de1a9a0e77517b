// A client that starts the command behind its name as its agent, has one turn with it, and runs what the agent asks it to run.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";

const terminals = new Map();
const terminal = ({ params }) => terminals.get(params.terminalId);

function create({ params: { command, args = [], cwd } }) {
  const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  const terminal = { child, chunks: [] };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => terminal.chunks.push(chunk));
  }
  terminal.exit = once(child, "close").then(([exitCode, signal]) => (terminal.status = { exitCode, signal }));
  const terminalId = `terminal-${terminals.size + 1}`;
  terminals.set(terminalId, terminal);
  return { terminalId };
}

const output = ({ chunks, status }) => ({
  output: Buffer.concat(chunks).toString(),
  truncated: false,
  exitStatus: status,
});

let said = "";
const updates = [];
const app = client({ name: "player" })
  .onNotification(methods.client.session.update, ({ params: { update } }) => {
    updates.push(update);
    said += update.sessionUpdate === "agent_message_chunk" ? update.content.text : "";
  })
  .onRequest(methods.client.session.requestPermission, ({ params: { toolCall, options } }) => {
    const wanted = toolCall.kind === "delete" ? "reject_once" : "allow_once";
    const { optionId } = options.find(({ kind }) => kind === wanted);
    return { outcome: { outcome: "selected", optionId } };
  })
  .onRequest(methods.client.terminal.create, create)
  .onRequest(methods.client.terminal.output, (context) => output(terminal(context)))
  .onRequest(methods.client.terminal.waitForExit, (context) => terminal(context).exit)
  .onRequest(methods.client.terminal.kill, (context) => void terminal(context).child.kill())
  .onRequest(methods.client.terminal.release, (context) => {
    terminal(context).child.kill();
    terminals.delete(context.params.terminalId);
    return {};
  });

const [command, ...args] = process.argv.slice(2);
const agent = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const ended = once(agent, "close");
await app.connectWith(ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout)), async (ctx) => {
  const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: true };
  const { protocolVersion } = await ctx.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities,
  });
  assert.equal(protocolVersion, PROTOCOL_VERSION);
  const { sessionId } = await ctx.request(methods.agent.session.new, { cwd: process.cwd(), mcpServers: [] });
  const prompt = [{ type: "text", text: "Make the failing test pass" }];
  const { stopReason } = await ctx.request(methods.agent.session.prompt, { sessionId, prompt });
  assert.equal(stopReason, "end_turn");
});

const last = (id) => updates.findLast(({ toolCallId }) => toolCallId === id);
const { output: got, exitCode } = last("call-1").rawOutput;
assert.equal(exitCode, 3);
assert.deepEqual(got.split("\n").sort(), ["", "one", "three \x1b[1m€\x1b[0m", "two"]);
assert.equal(last("call-2").status, "completed");
assert.equal(last("call-3").status, "failed");
assert.equal(said, `I run the tests first. The command said: ${got.length} characters, exit 3. Done.`);
assert.equal(terminals.size, 0);

// It has no more to say, and the agent ends by itself.
agent.stdin.end();
const [status, signal] = await ended;
assert.deepEqual([status, signal], [0, null]);
