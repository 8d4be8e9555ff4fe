import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { eventsIn, expectError, expectSchema, startedSimulator, typesOf } from '../testing.ts';

describe('speech', () => {
  const request = { model: 'tts-1-hd', voice: 'alloy', input: 'Hello there' };

  test('is sound of the wanted kind', async () => {
    const { sdk } = await startedSimulator();
    const answer = await sdk().audio.speech.create({ ...request, response_format: 'wav' });
    expect([answer.headers.get('content-type'), (await answer.arrayBuffer()).byteLength]).toEqual(['audio/wav', 4_096]);
  });

  test('comes as events with its usage', async () => {
    const { post } = await startedSimulator();
    const events = eventsIn((await post('/audio/speech', { ...request, stream_format: 'sse' })).text);
    expect(new Set(typesOf(events))).toEqual(new Set(['speech.audio.delta', 'speech.audio.done']));
    expectSchema('SpeechAudioDeltaEvent', events[0]);
    expectSchema('SpeechAudioDoneEvent', events.at(-1));
  });

  test('is refused without a voice', async () => {
    const { post } = await startedSimulator();
    expectError(await post('/audio/speech', { ...request, voice: undefined }), 400, { param: 'voice' });
  });
});

describe('transcriptions', () => {
  const file = () => OpenAI.toFile(Buffer.alloc(2_000), 'talk.mp3');

  test('say what was heard, and state tokens or seconds', async () => {
    const { sdk } = await startedSimulator();
    const { transcriptions } = sdk().audio;
    const heard = await transcriptions.create({ file: await file(), model: 'gpt-4o-transcribe' });
    expectSchema('CreateTranscriptionResponseJson', heard);
    expect(heard).toMatchObject({
      text: 'I heard 2000 bytes of talk.mp3.',
      usage: { type: 'tokens', input_tokens: 20 },
    });
    const older = await transcriptions.create({ file: await file(), model: 'whisper-1' });
    expect(older.usage).toEqual({ type: 'duration', seconds: 2 });
  });

  test('come as text and as events', async () => {
    const { sdk } = await startedSimulator();
    const { transcriptions } = sdk().audio;
    const text = await transcriptions.create({ file: await file(), model: 'whisper-1', response_format: 'text' });
    expect(text).toBe('I heard 2000 bytes of talk.mp3.\n');
    const last = [];
    for await (const event of await transcriptions.create({
      ...{ file: await file(), model: 'gpt-4o-transcribe', stream: true },
    }))
      last.push(event);
    expectSchema('TranscriptTextDeltaEvent', last[0]);
    expectSchema('TranscriptTextDoneEvent', last.at(-1));
  });
});
