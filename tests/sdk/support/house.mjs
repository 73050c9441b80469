// The real llama-server and slotswap in front of it, both as programs of this process, with a folder
// of saved states: what the tests here talk to. Programs and models are named in the environment
// (./run sees to it). The kernel ends both when this process does.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const patience = 60_000;
const template = fileURLToPath(new URL('tools.jinja', import.meta.url));

// Until it holds; only a failure waits for the limit.
export async function eventually(holds, what) {
  for (const end = Date.now() + patience; ;) {
    const found = await holds();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise((wake) => setTimeout(wake, 10));
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

class Program {
  constructor(command, log) {
    this.log = log;
    const output = openSync(log, 'a');
    this.child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', ...command], { stdio: ['ignore', output, output] });
    this.ended = once(this.child, 'exit');
    closeSync(output);
  }
  running() { return this.child.exitCode === null && this.child.signalCode === null; }
  said() { return readFileSync(this.log, 'utf8'); }
  async stop(signal = 'SIGTERM') {
    if (this.running()) this.child.kill(signal);
    await this.ended;
    return this.child.exitCode;
  }
}

const healthy = (url) => fetch(`${url}/health`).then((answer) => answer.ok, () => false);

async function startServer(folder, args) {
  for (let attempt = 0; attempt < 3; ++attempt) {
    // Another process may take the port before the server does.
    const port = await freePort();
    const program = new Program([
      process.env.SLOTSWAP_REAL_LLAMA, '--host', '127.0.0.1', '--port', `${port}`, '--threads', '1', '--no-ui',
      '--parallel', '1', '--ctx-size', '16384', '--cache-ram', '0', '--slot-save-path', join(folder, 'slots'),
      '--model', join(process.env.SLOTSWAP_REAL_MODELS, 'tiny.gguf'), '--alias', 'tiny',
      '--jinja', '--chat-template-file', template, ...args], join(folder, 'server.log'));
    program.url = `http://127.0.0.1:${port}`;
    if (await eventually(async () => !program.running() || await healthy(program.url), 'llama-server')
        && program.running()) return program;
  }
  throw new Error(`llama-server does not start: ${readFileSync(join(folder, 'server.log'), 'utf8')}`);
}

function fields(line) {
  const found = {};
  for (const [, key, quoted, bare] of line.matchAll(/(\w+)=(?:"((?:[^"\\]|\\.)*)"|(\S*))/g)) found[key] = quoted ?? bare;
  return found;
}

async function startSlotswap(folder, yaml) {
  writeFileSync(join(folder, 'config.yaml'), yaml);
  const program = new Program([process.env.SLOTSWAP_PROGRAM, 'serve', join(folder, 'config.yaml')], join(folder, 'log'));
  program.lines = (wanted) => program.said().split('\n').slice(0, -1).map(fields)
    .filter((line) => Object.entries(wanted).every(([key, value]) => line[key] === value));
  const listening = () => program.lines({ event: 'listen', for: 'clients' })[0];
  await eventually(() => !program.running() || listening(), 'slotswap');
  if (!program.running()) throw new Error(`slotswap does not start: ${program.said()}`);
  program.url = `http://${listening().address}`;
  return program;
}

// server: more arguments of llama-server. top, upstream, route: YAML of slotswap, of the whole as
// lines, of the server and of the route as members of a map.
export async function startHouse({ server = [], top = '', upstream = '', route = 'slots: {}' } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'slotswap-sdk-'));
  mkdirSync(join(folder, 'slots'), { mode: 0o700 });
  const llama = await startServer(folder, server);
  const slotswap = await startSlotswap(folder, `listen: 127.0.0.1:0
${top}
defaults: {slots: {save_path: '${join(folder, 'slots')}'}}
servers:
  - {name: main, url: '${llama.url}'${upstream && `, ${upstream}`}}
routes:
  - {model: tiny, server: main, ${route}}
`);
  return {
    url: slotswap.url,
    server: llama.url,
    lines: slotswap.lines,
    log: () => slotswap.said(),
    // The lines of event=request with these fields: they come a moment after the answer.
    requests: (wanted, count = 1) => eventually(() => {
      const found = slotswap.lines({ event: 'request', ...wanted });
      return found.length >= count && found;
    }, `${count} requests with ${JSON.stringify(wanted)} in the log:\n${slotswap.said()}`),
    // Not to be asked for long: looks keep the server from noticing that its client left.
    busy: () => eventually(async () => (await (await fetch(`${llama.url}/slots`)).json())[0].is_processing, 'work in the slot'),
    stopServer: () => llama.stop('SIGKILL'),
    async stop() {
      const code = await slotswap.stop();
      await llama.stop('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
      return code;
    },
  };
}

// Text of so many words that no other name's begins with.
export const story = (name, words) => Array.from({ length: words }, (_, n) => `${name}${n}`).join(' ');
