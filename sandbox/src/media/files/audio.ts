/** 48 kHz, as video has it. */
export const SAMPLE_RATE = 48_000;
/** The samples of an AAC frame. */
export const SAMPLES_PER_FRAME = 1_024;

/** AudioSpecificConfig: object type 2 (AAC-LC, 5 bits), 48 kHz (index 3, 4 bits), one channel (4 bits). */
export const AAC_CONFIG = Uint8Array.of(0b00010_001, 0b1_0001_000);

/**
 * One frame of silence, written out from ISO 14496-3: a single channel element (3 bits 0) with tag 0 (4),
 * gain 0 (8), a long window without scale factor bands (11), no pulse, noise shaping or gain control (3),
 * then the end mark (3 bits 1).
 */
export const SILENT_AAC_FRAME = Uint8Array.of(0, 0, 0, 0b00000_111);

const WAV_RATE = 16_000;
const TONE_HZ = 440;
/** A quarter of full scale: it may be played. */
const AMPLITUDE = 8_192;

/** A WAV file with one tone, 16 bits, one channel. */
export function makeWave(seconds: number): Buffer {
  const samples = Math.round(seconds * WAV_RATE);
  const file = Buffer.alloc(44 + samples * 2);
  file.write("RIFF", 0, "latin1");
  file.writeUInt32LE(file.length - 8, 4);
  file.write("WAVEfmt ", 8, "latin1");
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(WAV_RATE, 24);
  file.writeUInt32LE(WAV_RATE * 2, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write("data", 36, "latin1");
  file.writeUInt32LE(samples * 2, 40);
  for (let index = 0; index < samples; index += 1) {
    const value = Math.sin((2 * Math.PI * TONE_HZ * index) / WAV_RATE) * AMPLITUDE;
    file.writeInt16LE(Math.round(value), 44 + index * 2);
  }
  return file;
}
