import { type ValidationInput, validateAnswer } from './validate-answer.ts';

self.onmessage = ({ data }: MessageEvent<ValidationInput>) => self.postMessage(validateAnswer(data));
self.postMessage('ready');
