// The openai package against slotswap in front of the real llama-server.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import OpenAI from 'openai';

import { startHouse, story } from './support/house.mjs';

const model = 'tiny';
const says = (content) => [{ role: 'user', content }];
const client = (house, session, more = {}) => new OpenAI({
  baseURL: `${house.url}/v1`,
  apiKey: 'any',
  maxRetries: 0,
  defaultHeaders: session ? { 'X-Session-ID': session } : {},
  ...more,
});

async function collect(stream) {
  const events = [];
  for await (const event of stream) events.push(event);
  return events;
}

const weather = {
  name: 'get_weather',
  parameters: { type: 'object', properties: { city: { type: 'string', enum: ['Rome', 'Oslo'] } }, required: ['city'] },
};
// The template's own words: random weights would not come to them by themselves.
const calling = [...says('weather?'), { role: 'assistant', content: '<tool_call>\n' }];

describe('openai', () => {
  let house;
  before(async () => { house = await startHouse(); });
  after(async () => { assert.equal(await house.stop(), 0); });

  test('a chat', async () => {
    const answer = await client(house, 'chat').chat.completions.create({ model, messages: says('hello'), max_tokens: 8 });
    assert.equal(answer.object, 'chat.completion');
    assert.equal(answer.choices[0].finish_reason, 'length');
    assert.ok(answer.choices[0].message.content.length > 0);
    assert.equal(answer.usage.completion_tokens, 8);
    assert.equal(answer.timings.predicted_n, 8);
  });

  test('a streamed chat is the same text, event by event', async () => {
    const asked = { model, messages: says('hello'), max_tokens: 24, temperature: 0, seed: 1 };
    const whole = await client(house, 'chat').chat.completions.create(asked);
    const events = await collect(await client(house, 'chat').chat.completions.create(
      { ...asked, stream: true, stream_options: { include_usage: true } }));
    assert.equal(events.map((event) => event.choices[0]?.delta.content ?? '').join(''), whole.choices[0].message.content);
    // Bytes of one character are one event.
    assert.ok(events.length > 10, `${events.length} events`);
    assert.equal(events.at(-1).usage.completion_tokens, 24);
  });

  test('the answer says what was in the slot', async () => {
    const { response } = await client(house, 'chat').chat.completions.create(
      { model, messages: says('hello'), max_tokens: 2 }).withResponse();
    assert.equal(response.headers.get('x-slotswap-slot'), 'resident');
    assert.match(response.headers.get('x-slotswap-session'), /^[0-9a-f]{8}$/);
  });

  test('completions', async () => {
    const asked = { model, prompt: 'once', max_tokens: 12, temperature: 0, seed: 1 };
    const whole = await client(house, 'text').completions.create(asked);
    assert.equal(whole.object, 'text_completion');
    const events = await collect(await client(house, 'text').completions.create({ ...asked, stream: true }));
    assert.equal(events.map((event) => event.choices[0].text).join(''), whole.choices[0].text);
  });

  test('responses', async () => {
    const asked = { model, input: 'hello', max_output_tokens: 12, temperature: 0 };
    const whole = await client(house, 'responses').responses.create(asked);
    assert.equal(whole.status, 'completed');
    assert.equal(whole.usage.output_tokens, 12);
    const events = await collect(await client(house, 'responses').responses.create({ ...asked, stream: true }));
    assert.equal(events[0].type, 'response.created');
    assert.equal(events.at(-1).type, 'response.completed');
    const text = events.filter((event) => event.type === 'response.output_text.delta').map((event) => event.delta).join('');
    assert.equal(text, whole.output_text);
  });

  test('tools are in the prompt, and their calls in the answer', async () => {
    const tools = [{ type: 'function', function: weather }];
    const asked = { model, messages: calling, max_tokens: 300, tool_choice: 'required', tools };
    const plain = await client(house, 'tools').chat.completions.create({ model, messages: calling, max_tokens: 1 });
    const whole = await client(house, 'tools').chat.completions.create(asked);
    assert.ok(whole.usage.prompt_tokens > plain.usage.prompt_tokens + 100);
    const [call] = whole.choices[0].message.tool_calls;
    assert.equal(call.function.name, 'get_weather');
    assert.match(JSON.parse(call.function.arguments).city, /^(Rome|Oslo)$/);

    const events = await collect(await client(house, 'tools').chat.completions.create({ ...asked, stream: true }));
    const parts = events.flatMap((event) => event.choices[0]?.delta.tool_calls ?? []).filter((part) => part.index === 0);
    assert.equal(parts[0].function.name, 'get_weather');
    assert.match(JSON.parse(parts.map((part) => part.function.arguments ?? '').join('')).city, /^(Rome|Oslo)$/);
  });

  test('structured output', async () => {
    const answer = await client(house, 'tools').chat.completions.create({
      model, messages: says('where?'), max_tokens: 200,
      response_format: { type: 'json_schema', json_schema: { name: 'place', strict: true, schema: weather.parameters } },
    });
    assert.match(JSON.parse(answer.choices[0].message.content).city, /^(Rome|Oslo)$/);
  });

  test('models', async () => {
    const list = await collect(client(house).models.list());
    assert.deepEqual(list.map((entry) => entry.id), [model]);
  });

  test('two sessions in turn: each finds its prompt cache', async () => {
    const talks = { anna: says(story('anna', 400)), ben: says(story('ben', 400)) };
    const reused = {};
    for (const turn of [1, 2, 3]) {
      for (const [name, messages] of Object.entries(talks)) {
        const answer = await client(house, name).chat.completions.create({ model, messages, max_tokens: 8 });
        const { cached_tokens: cached } = answer.usage.prompt_tokens_details;
        if (turn > 1) assert.ok(cached >= reused[name], `${name}, turn ${turn}: ${cached} of ${reused[name]}`);
        assert.equal(answer.timings.cache_n, cached);
        // Its end may be cut into other tokens once the answer stands behind it.
        reused[name] = answer.usage.prompt_tokens - 10;
        assert.ok(reused[name] > 1000);
        messages.push(answer.choices[0].message, ...says(`and ${turn}?`));
      }
    }
    assert.equal((await house.requests({ swapped: 'save+restore', slot: 'restored' }, 4)).length, 4);
  });

  test('an abort in the middle reaches the server, and the next request is answered', async () => {
    const stop = new AbortController();
    const stream = await client(house, 'leaver').chat.completions.create(
      { model, messages: says('much'), max_tokens: 15_000, stream: true }, { signal: stop.signal });
    for await (const event of stream) {
      if (event.choices[0]?.delta.content) stop.abort();
    }
    const [line] = await house.requests({ code: 'client_gone' });
    assert.equal(line.cut, 'true');
    for (const session of ['leaver', 'other']) {
      const next = await client(house, session).chat.completions.create({ model, messages: says('more'), max_tokens: 2 });
      assert.equal(next.usage.completion_tokens, 2);
    }
  });

  test('an abort before the answer is an APIUserAbortError', async () => {
    const stop = new AbortController();
    const asked = client(house, 'leaver').chat.completions.create(
      { model, messages: says('much'), max_tokens: 15_000 }, { signal: stop.signal });
    asked.catch(() => {});
    await house.busy();
    stop.abort();
    await assert.rejects(asked, OpenAI.APIUserAbortError);
    await house.requests({ code: 'client_gone', status: '499' });
  });

  const errors = [
    ['a model that no route has', { model: 'none', messages: says('x') }, OpenAI.NotFoundError, 'model_not_found'],
    ['a body that the server refuses', { model, messages: 'x' }, OpenAI.BadRequestError, 400],
    ['a prompt beyond the context', { model, messages: says(story('long', 8000)) }, OpenAI.BadRequestError, 400],
  ];
  for (const [name, body, kind, code] of errors) {
    for (const stream of [false, true]) {
      test(`${name}${stream ? ', as a stream' : ''}: ${kind.name}`, async () => {
        await assert.rejects(client(house, 'wrong').chat.completions.create({ ...body, stream }), (error) => {
          assert.ok(error instanceof kind, `${error}`);
          assert.equal(error.code, code);
          assert.ok(error.message.length > 10);
          return true;
        });
      });
    }
  }

  test('a header that slotswap refuses: BadRequestError with its code', async () => {
    const asked = client(house, 'wrong').chat.completions.create(
      { model, messages: says('x') }, { headers: { 'X-Slot-Policy': 'nonsense' } });
    await assert.rejects(asked, (error) => error instanceof OpenAI.BadRequestError && error.code === 'bad_slot_policy');
  });
});

describe('openai, where requests wait', () => {
  let house;
  before(async () => {
    house = await startHouse({ top: 'limits: {body_mib: 1}', route: 'slots: {}, heartbeat_seconds: 0.05, max_queue: 1' });
  });
  after(() => house.stop());
  // Runs until it is left: far more than is read of it here.
  const endless = async () => {
    const stop = new AbortController();
    await client(house, 'first').chat.completions.create(
      { model, messages: says('much'), max_tokens: 15_000, stream: true }, { signal: stop.signal });
    return stop;
  };
  const short = (session, more) => client(house, session).chat.completions.create(
    { model, messages: says('hello'), max_tokens: 8, ...more });
  // It waits in line when this returns: the first sign of life brings the head.
  const waiting = () => short('second', { stream: true });

  test('the signs of life of a stream are no events', async () => {
    const running = await endless();
    const stream = await waiting();
    running.abort();
    const events = await collect(stream);
    assert.ok(events.every((event) => event.object === 'chat.completion.chunk'));
    assert.equal(events.at(-1).choices[0].finish_reason, 'length');
    const [line] = await house.requests({ status: '200', cut: undefined });
    assert.ok(Number(line.heartbeats) > 0, house.log());
  });

  test('a full queue is a RateLimitError, which the package tries again by itself', async () => {
    const running = await endless();
    const stream = await waiting();
    await assert.rejects(short('third'), (error) => error instanceof OpenAI.RateLimitError && error.code === 'queue_full');
    const again = client(house, 'third', { maxRetries: 5 }).chat.completions.create(
      { model, messages: says('hello'), max_tokens: 2 });
    await house.requests({ code: 'queue_full' }, 2);
    running.abort();
    assert.equal((await collect(stream)).at(-1).choices[0].finish_reason, 'length');
    assert.equal((await again).usage.completion_tokens, 2);
  });

  test('a body over the limit is told as such, though it was not read', async () => {
    const asked = client(house, 'big').chat.completions.create({ model, messages: says('x'.repeat(3 << 20)) });
    await assert.rejects(asked, (error) => error.status === 413 && error.code === 'body_too_large');
  });

  test('a server that is gone: InternalServerError', async () => {
    await house.stopServer();
    const asked = client(house, 'late').chat.completions.create({ model, messages: says('x') });
    await assert.rejects(asked, (error) => error instanceof OpenAI.InternalServerError && error.status === 502
      && error.code === 'upstream_unreachable');
  });
});

// Whose key a client has to have, and how it is set up.
const doors = [
  { name: "the server's", key: 'open-sesame', options: { server: ['--api-key', 'open-sesame'], route: 'slots: off' } },
];
for (const { name, key, options } of doors) {
  describe(`openai, with ${name} key`, () => {
    let house;
    before(async () => { house = await startHouse(options); });
    after(() => house.stop());
    const ask = (apiKey, stream) => client(house, '', { apiKey }).chat.completions.create(
      { model, messages: says('hello'), max_tokens: 2, stream });

    test('the right key', async () => { assert.equal((await ask(key)).usage.completion_tokens, 2); });
    for (const stream of [false, true]) {
      test(`a wrong key${stream ? ', as a stream' : ''}: AuthenticationError`, async () => {
        await assert.rejects(ask('wrong', stream), (error) => error instanceof OpenAI.AuthenticationError
          && error.status === 401);
      });
    }
  });
}

describe('openai, embeddings', () => {
  let house;
  before(async () => { house = await startHouse({ server: ['--embeddings', '--pooling', 'mean'], route: 'slots: off' }); });
  after(() => house.stop());

  test('come in the order of their texts, in both forms', async () => {
    const ask = (encoding_format) => client(house).embeddings.create({ model, input: ['one', 'two more'], encoding_format });
    // Without a form the package asks for base64 and decodes it.
    const [plain, decoded] = [await ask('float'), await ask(undefined)];
    assert.deepEqual(plain.data.map((entry) => entry.index), [0, 1]);
    for (const place of [0, 1]) {
      assert.equal(plain.data[place].embedding.length, 64);
      decoded.data[place].embedding.forEach((number, n) => {
        assert.ok(Math.abs(number - plain.data[place].embedding[n]) < 1e-6);
      });
    }
    assert.notDeepEqual(plain.data[0].embedding, plain.data[1].embedding);
  });
});
