/** Two soft tones, the second a fourth higher. Synthesized, so that no file is loaded. */
const tones = [
  { frequency: 587.33, start: 0 },
  { frequency: 783.99, start: 0.14 },
];
const length = 0.5;
const loudness = 0.06;

/** Plays a short, quiet two-tone sound. Does nothing if the browser blocks audio. */
export async function chime(): Promise<void> {
  const audio = new AudioContext();
  try {
    // Without a click since the page was opened, browsers block audio and `resume` would never settle.
    if (audio.state === 'suspended' && !navigator.userActivation?.hasBeenActive) return;
    await audio.resume();
    const ended = tones.map(({ frequency, start }) => tone(audio, frequency, audio.currentTime + start));
    await Promise.all(ended);
  } finally {
    await audio.close();
  }
}

function tone(audio: AudioContext, frequency: number, start: number): Promise<void> {
  const oscillator = new OscillatorNode(audio, { type: 'sine', frequency });
  const volume = new GainNode(audio, { gain: 0 });
  // Short attack and long release: a step would click.
  volume.gain.setValueAtTime(0, start);
  volume.gain.linearRampToValueAtTime(loudness, start + 0.015);
  volume.gain.exponentialRampToValueAtTime(0.0001, start + length);
  oscillator.connect(volume).connect(audio.destination);
  oscillator.start(start);
  oscillator.stop(start + length);
  return new Promise((resolve) => {
    oscillator.onended = () => resolve();
  });
}
