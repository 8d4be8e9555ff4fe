import type { ProviderModel } from './model-list.ts';

/** Chat models in OpenAI’s mixed list. */
const chatModel = /^(gpt-|o\d|chatgpt-|chat-latest|ft:)/;
const nonChatPattern =
  /(audio|realtime|image|tts|transcribe|search|codex|embedding|moderation|instruct|vision-preview)/;

/** Words in model names that indicate another purpose than chat. Each must be a whole word of the name. */
const nonChatWords = new Set(
  [
    'embed embedding embeddings embedder minilm bge gte e5 voyage retriever rerank reranker ranker colbert clip siglip',
    'whisper tts stt asr transcribe transcription speech audio realtime voice voxtral-tts kokoro orpheus parler bark parakeet',
    'image images imagen imagine dall dalle diffusion sdxl flux seedream midjourney recraft ideogram upscale',
    'video sora veo kling wan cogvideox',
    'moderation guard shieldgemma safeguard classifier ocr reward',
  ].flatMap((words) => words.split(' ')),
);
/** `nomic-embed-text:latest` has the words nomic, embed, text and latest. */
const wordsOf = (id: string) => id.toLowerCase().split(/[^a-z0-9]+|(?<=[a-z]{2})(?=\d)/);

function canChat({ id, chats }: ProviderModel): boolean {
  if (chats !== null) return chats;
  const words = wordsOf(id);
  return words.includes('chat') || !words.some((word) => nonChatWords.has(word));
}

/** Returns the models that can chat. If no name looks like one, names mean nothing at this provider: returns all. */
export function filterChatModels(list: ProviderModel[], isOpenAi: boolean): ProviderModel[] {
  if (isOpenAi) return list.filter(({ id }) => chatModel.test(id) && !nonChatPattern.test(id));
  const found = list.filter(canChat);
  return found.length > 0 ? found : list;
}
