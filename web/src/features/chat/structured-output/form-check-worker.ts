import { checkForm, type Order } from './form-check.ts';

self.onmessage = ({ data }: MessageEvent<Order>) => self.postMessage(checkForm(data));
self.postMessage('ready');
