// A browser's fetch from a page of another origin, with a key and a session, against slotswap in front of the real
// llama-server: the preflight, a stream that is read as it comes, errors that the page can read, a page that leaves.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';

import { startHouse } from './support/house.mjs';

const page = readFileSync(new URL('page.html', import.meta.url));

// What the page at this house told, or what the browser said when it ended without.
async function visit(task) {
  let told;
  const answer = new Promise((resolve) => { told = resolve; });
  const server = createServer(async (request, response) => {
    if (request.url === '/seen') told(JSON.parse(await text(request)));
    response.setHeader('Content-Type', request.url === '/' ? 'text/html' : 'application/json');
    response.end(request.url === '/' ? page : JSON.stringify(task));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const profile = mkdtempSync(join(tmpdir(), 'slotswap-browser-'));
  const log = join(profile, 'said');
  const output = openSync(log, 'a');
  const browser = spawn('setpriv', ['--pdeathsig', 'KILL', '--', process.env.SLOTSWAP_BROWSER,
    '--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--remote-debugging-port=0',
    `--user-data-dir=${profile}`, `http://127.0.0.1:${server.address().port}/`],
  { stdio: ['ignore', 'ignore', output], detached: true });
  closeSync(output);
  const ended = once(browser, 'exit');
  try {
    const seen = await Promise.race([answer, ended.then(() => null)]);
    if (seen === null) throw new Error(`the browser ended: ${readFileSync(log, 'utf8')}`);
    return seen;
  } finally {
    // With all its processes: it does not always end by itself.
    if (browser.exitCode === null && browser.signalCode === null) process.kill(-browser.pid, 'SIGKILL');
    await ended;
    server.closeAllConnections();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 20 });
  }
}

// Whose key a client has to have, and how it is set up.
const doors = [
  { name: "the server's", key: 'open-sesame', options: { server: ['--api-key', 'open-sesame'], route: 'slots: off' } },
];
for (const { name, key, options } of doors) {
  describe(`a page of another origin, with ${name} key`, () => {
    let house;
    let seen;
    before(async () => {
      house = await startHouse(options);
      seen = await visit({ url: house.url, key });
    });
    after(() => house.stop());

    test('reads a stream', () => {
      const { events, ...rest } = seen.stream;
      assert.deepEqual(rest, { status: 200, type: 'text/event-stream', last: '[DONE]' });
      assert.ok(events > 100, `${events} events`);
    });
    test('has a session that finds its prompt cache', () => {
      assert.equal(seen.turn.status, 200);
      assert.ok(seen.turn.reused > 10, JSON.stringify(seen.turn));
    });
    test('can read that its key is wrong', () => {
      assert.equal(seen.wrongKey.status, 401, JSON.stringify(seen.wrongKey));
      assert.ok(seen.wrongKey.error.message.length > 5);
    });
    test('can read an error of the server', () => {
      assert.equal(seen.refused.status, 400, JSON.stringify(seen.refused));
    });
    test('gets the models', () => { assert.deepEqual(seen.models, { status: 200, names: ['tiny'] }); });
    test('reads it as it comes, and is noticed when it leaves in the middle', async () => {
      assert.equal(seen.leave, 'AbortError');
      await house.requests({ code: 'client_gone', cut: 'true' });
    });
    test('asked before, without its key', () => {
      assert.ok(house.lines({ event: 'request', method: 'OPTIONS' }).every((line) => /^20[04]$/.test(line.status)));
    });
  });
}
