// The @anthropic-ai/sdk package against slotswap in front of the real llama-server.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import Anthropic from '@anthropic-ai/sdk';

import { startHouse, story } from './support/house.mjs';

const model = 'tiny';
const says = (content) => [{ role: 'user', content }];
const client = (house, session, more = {}) => new Anthropic({
  baseURL: house.url,
  apiKey: 'any',
  maxRetries: 0,
  defaultHeaders: session ? { 'X-Session-ID': session } : {},
  ...more,
});
const text = (message) => message.content.map((block) => block.text ?? '').join('');

describe('@anthropic-ai/sdk', () => {
  let house;
  before(async () => { house = await startHouse(); });
  after(async () => { assert.equal(await house.stop(), 0); });

  test('a message', async () => {
    const answer = await client(house, 'message').messages.create({ model, messages: says('hello'), max_tokens: 8 });
    assert.equal(answer.type, 'message');
    assert.equal(answer.stop_reason, 'max_tokens');
    assert.equal(answer.usage.output_tokens, 8);
    assert.ok(text(answer).length > 0);
  });

  test('a streamed message is the same text, event by event', async () => {
    const asked = { model, system: 'short', messages: says('hello'), max_tokens: 24, temperature: 0 };
    const whole = await client(house, 'message').messages.create(asked);
    const events = [];
    for await (const event of await client(house, 'message').messages.create({ ...asked, stream: true })) events.push(event);
    assert.equal(events[0].type, 'message_start');
    assert.equal(events.at(-1).type, 'message_stop');
    const deltas = events.filter((event) => event.type === 'content_block_delta');
    assert.ok(deltas.length > 10, `${deltas.length} pieces`);
    assert.equal(deltas.map((event) => event.delta.text).join(''), text(whole));
  });

  test('the helper for streams builds the message', async () => {
    const stream = client(house, 'message').messages.stream({ model, messages: says('hello'), max_tokens: 16 });
    const pieces = [];
    stream.on('text', (piece) => pieces.push(piece));
    const message = await stream.finalMessage();
    assert.equal(pieces.join(''), text(message));
    assert.equal(message.usage.output_tokens, 16);
  });

  test('tools are in the prompt, and their calls in the answer', async () => {
    const tools = [{
      name: 'get_weather',
      input_schema: { type: 'object', properties: { city: { type: 'string', enum: ['Rome', 'Oslo'] } }, required: ['city'] },
    }];
    // The template's own words: random weights would not come to them by themselves.
    const messages = [...says('weather?'), { role: 'assistant', content: '<tool_call>\n' }];
    const count = (more) => client(house).messages.countTokens({ model, messages: says('weather?'), ...more });
    assert.ok((await count({ tools })).input_tokens > (await count({})).input_tokens + 100);
    const asked = { model, messages, tools, tool_choice: { type: 'any' }, max_tokens: 300 };
    const whole = await client(house, 'tools').messages.create(asked);
    const streamed = await client(house, 'tools').messages.stream(asked).finalMessage();
    for (const answer of [whole, streamed]) {
      const call = answer.content.find((block) => block.type === 'tool_use');
      assert.equal(call?.name, 'get_weather', JSON.stringify(answer));
      assert.match(call.input.city, /^(Rome|Oslo)$/);
    }
  });

  test('two sessions in turn: each finds its prompt cache', async () => {
    const talks = { anna: says(story('anna', 400)), ben: says(story('ben', 400)) };
    const before = {};
    for (const turn of [1, 2, 3]) {
      for (const [name, messages] of Object.entries(talks)) {
        const answer = await client(house, name).messages.create({ model, messages, max_tokens: 8 });
        const { cache_read_input_tokens: cached, input_tokens: read } = answer.usage;
        if (turn > 1) assert.ok(cached >= before[name], `${name}, turn ${turn}: ${cached} of ${before[name]}`);
        // Its end may be cut into other tokens once the answer stands behind it.
        before[name] = cached + read - 10;
        assert.ok(before[name] > 1000);
        messages.push({ role: 'assistant', content: text(answer) }, ...says(`and ${turn}?`));
      }
    }
    assert.equal((await house.requests({ swapped: 'save+restore', slot: 'restored' }, 4)).length, 4);
  });

  test('an abort in the middle reaches the server, and the next request is answered', async () => {
    const stream = client(house, 'leaver').messages.stream({ model, messages: says('much'), max_tokens: 15_000 });
    stream.once('text', () => stream.abort());
    await assert.rejects(stream.done(), Anthropic.APIUserAbortError);
    const [line] = await house.requests({ code: 'client_gone' });
    assert.equal(line.cut, 'true');
    for (const session of ['leaver', 'other']) {
      const next = await client(house, session).messages.create({ model, messages: says('more'), max_tokens: 2 });
      assert.equal(next.usage.output_tokens, 2);
    }
  });

  const errors = [
    ['a model that no route has', { model: 'none', messages: says('x'), max_tokens: 1 }, Anthropic.NotFoundError],
    ['a body that the server refuses', { model, messages: says('x'), max_tokens: 'many' }, Anthropic.BadRequestError],
    ['a prompt beyond the context', { model, messages: says(story('long', 8000)), max_tokens: 1 }, Anthropic.BadRequestError],
  ];
  for (const [name, body, kind] of errors) {
    for (const stream of [false, true]) {
      test(`${name}${stream ? ', as a stream' : ''}: ${kind.name}`, async () => {
        await assert.rejects(client(house, 'wrong').messages.create({ ...body, stream }), (error) => {
          assert.ok(error instanceof kind, `${error}`);
          assert.ok(error.error.error.message.length > 10);
          return true;
        });
      });
    }
  }
});

describe('@anthropic-ai/sdk, where requests wait', () => {
  let house;
  before(async () => { house = await startHouse({ route: 'slots: {}, heartbeat_seconds: 0.05, max_queue: 1' }); });
  after(() => house.stop());

  test('the signs of life of a stream are no events, and a full queue is a RateLimitError', async () => {
    const running = client(house, 'first').messages.stream({ model, messages: says('much'), max_tokens: 15_000 });
    running.done().catch(() => {});
    await new Promise((begun) => { running.once('text', begun); });
    const short = (session, stream) => client(house, session).messages.create(
      { model, messages: says('hello'), max_tokens: 8, stream });
    // It waits in line when its head is here: the first sign of life brings it.
    const waits = await short('second', true);
    await assert.rejects(short('third', false), Anthropic.RateLimitError);
    running.abort();
    const events = [];
    for await (const event of waits) events.push(event.type);
    assert.equal(events[0], 'message_start');
    assert.equal(events.at(-1), 'message_stop');
    assert.ok(!events.includes('ping'));
    const [line] = await house.requests({ status: '200', cut: undefined });
    assert.ok(Number(line.heartbeats) > 0, house.log());
  });

  test('a server that is gone: InternalServerError', async () => {
    await house.stopServer();
    await assert.rejects(client(house, 'late').messages.create({ model, messages: says('x'), max_tokens: 1 }),
      (error) => error instanceof Anthropic.InternalServerError && error.status === 502);
  });
});

// Whose key a client has to have, and how it is set up.
const doors = [
  { name: "the server's", key: 'open-sesame', options: { server: ['--api-key', 'open-sesame'], route: 'slots: off' } },
];
for (const { name, key, options } of doors) {
  describe(`@anthropic-ai/sdk, with ${name} key`, () => {
    let house;
    before(async () => { house = await startHouse(options); });
    after(() => house.stop());
    const ask = (credentials, stream) => client(house, '', credentials).messages.create(
      { model, messages: says('hello'), max_tokens: 2, stream });

    // The package's two ways: X-Api-Key, and Authorization.
    const ways = { apiKey: (value) => ({ apiKey: value }), authToken: (value) => ({ apiKey: null, authToken: value }) };
    for (const [way, credentials] of Object.entries(ways)) {
      test(`the right key as ${way}`, async () => {
        assert.equal((await ask(credentials(key))).usage.output_tokens, 2);
      });
      for (const stream of [false, true]) {
        test(`a wrong key as ${way}${stream ? ', as a stream' : ''}: AuthenticationError`, async () => {
          await assert.rejects(ask(credentials('wrong'), stream), Anthropic.AuthenticationError);
        });
      }
    }
  });
}
