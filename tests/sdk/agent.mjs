// An agent that thinks nothing of its own: one turn with all that a turn may hold.

import { Readable, Writable } from "node:stream";
import { agent, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";

const text = (text) => ({ type: "text", text });
const options = [
  { optionId: "yes", name: "Allow", kind: "allow_once" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];

async function turn({ params: { sessionId, prompt }, client }) {
  const tell = (update) => client.notify(methods.client.session.update, { sessionId, update });
  const say = async (words) => {
    for (const piece of words.split(/(?<= )/)) {
      await tell({ sessionUpdate: "agent_message_chunk", content: text(piece) });
    }
  };
  const patch = (toolCallId, fields) => tell({ sessionUpdate: "tool_call_update", toolCallId, ...fields });

  await tell({ sessionUpdate: "agent_thought_chunk", content: text(`They want: ${prompt[0].text}`) });
  await say("I run the tests first. ");
  await tell({
    sessionUpdate: "plan",
    entries: [
      { content: "Run the tests", priority: "high", status: "in_progress" },
      { content: "Mend what fails", priority: "medium", status: "pending" },
    ],
  });

  // A command that the client runs in a terminal of its own.
  const script = "echo one; sleep 0.2; echo two >&2; printf 'three \\033[1m€\\033[0m\\n'; exit 3";
  const command = { command: "sh", args: ["-c", script] };
  await tell({
    sessionUpdate: "tool_call",
    toolCallId: "call-1",
    title: "sh -c tests",
    kind: "execute",
    status: "pending",
    rawInput: command,
  });
  const terminal = await client.createTerminal({ sessionId, outputByteLimit: 10000, ...command });
  await patch("call-1", { status: "in_progress", content: [{ type: "terminal", terminalId: terminal.id }] });
  const exit = await terminal.waitForExit();
  const { output } = await terminal.currentOutput();
  await terminal.release();
  await patch("call-1", { status: exit.exitCode === 0 ? "completed" : "failed", rawOutput: { ...exit, output } });

  // Two that have to be asked for.
  for (const [toolCallId, title, kind, path] of [
    ["call-2", "Edit sum.js", "edit", "/work/sum.js"],
    ["call-3", "Delete sum.js", "delete", "/work/sum.js"],
  ]) {
    const toolCall = { toolCallId, title, kind, status: "pending", locations: [{ path, line: 1 }] };
    await tell({ sessionUpdate: "tool_call", ...toolCall });
    const { outcome } = await client.request(methods.client.session.requestPermission, { sessionId, toolCall, options });
    const allowed = outcome.outcome === "selected" && outcome.optionId === "yes";
    const content = allowed ? [{ type: "diff", path, oldText: "a - b\n", newText: "a + b\n" }] : [];
    await patch(toolCallId, { status: allowed ? "completed" : "failed", content });
  }

  await say(`The command said: ${output.length} characters, exit ${exit.exitCode}. Done.`);
  return { stopReason: "end_turn" };
}

agent({ name: "played" })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: PROTOCOL_VERSION,
    agentCapabilities: { loadSession: false },
    agentInfo: { name: "played", version: "1.0.0" },
  }))
  .onRequest(methods.agent.session.new, () => ({ sessionId: "session-1" }))
  .onRequest(methods.agent.session.prompt, turn)
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
