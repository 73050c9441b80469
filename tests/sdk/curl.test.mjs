// curl against slotswap in front of the real llama-server.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, before, describe, test } from 'node:test';

import { startHouse } from './support/house.mjs';

// Input is what @- reads. onOutput gets the process at each piece of its output.
async function curl(args, input = '', onOutput = () => {}) {
  const child = spawn('curl', ['--silent', '--show-error', '--max-time', '60', ...args]);
  const pieces = [];
  const errors = [];
  child.stdout.on('data', (piece) => { pieces.push(piece.toString()); onOutput(child); });
  child.stderr.on('data', (piece) => errors.push(piece.toString()));
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const code = await new Promise((ended) => { child.once('close', ended); });
  return { code, out: pieces.join(''), err: errors.join('') };
}

const chat = (more) => JSON.stringify({ model: 'tiny', messages: [{ role: 'user', content: 'hello' }], ...more });

describe('curl', () => {
  let house;
  before(async () => { house = await startHouse(); });
  after(async () => { assert.equal(await house.stop(), 0); });
  const json = ['--header', 'Content-Type: application/json', '--header', 'X-Session-ID: curl'];
  const url = () => `${house.url}/v1/chat/completions`;

  test('a chat', async () => {
    const { code, out } = await curl([...json, '--fail', '--data', chat({ max_tokens: 4 }), url()]);
    assert.equal(code, 0);
    assert.equal(JSON.parse(out).usage.completion_tokens, 4);
  });

  test('a stream', async () => {
    const { code, out } = await curl(
      [...json, '--no-buffer', '--include', '--data', chat({ max_tokens: 100, stream: true }), url()]);
    assert.equal(code, 0);
    assert.match(out, /^HTTP\/1\.1 200 OK\r\n/);
    assert.match(out, /\r\nContent-Type: text\/event-stream\r\n/);
    assert.match(out, /\r\ndata: \{.*\}\n\n/);
    assert.ok(out.endsWith('data: [DONE]\n\n'));
  });

  test('-N shows a stream as it is made; ended in the middle, it is a client that leaves', async () => {
    const { out } = await curl([...json, '--no-buffer', '--data', chat({ max_tokens: 15_000, stream: true }), url()], '',
      (child) => child.kill());
    assert.match(out, /^data: /);
    await house.requests({ code: 'client_gone', cut: 'true' });
  });

  // Above 1 MB it asks first (Expect: 100-continue).
  const big = chat({ max_tokens: 4, user: 'x'.repeat(2 << 20) });
  test('a long body, with a length', async () => {
    const { out } = await curl([...json, '--fail', '--data-binary', '@-', url()], big);
    assert.equal(JSON.parse(out).usage.completion_tokens, 4);
  });

  test('a long body, in chunks', async () => {
    const { out } = await curl(
      [...json, '--fail', '--header', 'Transfer-Encoding: chunked', '--request', 'POST', '--upload-file', '-', url()], big);
    assert.equal(JSON.parse(out).usage.completion_tokens, 4);
  });

  test('HTTP/1.0', async () => {
    const { out } = await curl([...json, '--http1.0', '--include', '--data', chat({ max_tokens: 4, stream: true }), url()]);
    assert.ok(out.endsWith('data: [DONE]\n\n'), out);
    assert.doesNotMatch(out, /transfer-encoding/i);
  });

  test('an offer of HTTP/2 is not taken up', async () => {
    const { code, out } = await curl(
      [...json, '--http2', '--fail', '--write-out', '\n%{http_version}', '--data', chat({ max_tokens: 4 }), url()]);
    assert.equal(code, 0);
    const [body, version] = out.split('\n');
    assert.equal(JSON.parse(body).usage.completion_tokens, 4);
    assert.equal(version, '1.1');
  });

  test('two requests on one connection', async () => {
    const { out } = await curl([...json, '--write-out', '\n%{num_connects}\n', '--data', chat({ max_tokens: 4 }), url(), url()]);
    const lines = out.trim().split('\n');
    assert.deepEqual([lines[1], lines[3]], ['1', '0']);
    assert.equal(JSON.parse(lines[2]).usage.completion_tokens, 4);
  });

  test('--head', async () => {
    const { code, out } = await curl(['--head', `${house.url}/v1/models`]);
    assert.equal(code, 0);
    assert.match(out, /^HTTP\/1\.1 200 /);
    assert.match(out, /\r\nContent-Length: \d+\r\n/);
  });

  test('--fail tells an error', async () => {
    const { code, err } = await curl([...json, '--fail', '--data', '{"model":"none"}', url()]);
    assert.equal(code, 22);
    assert.match(err, /404/);
  });
});
