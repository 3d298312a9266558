/** As large as vendors take an image. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** A file of this device as a data URL. */
export function dataUrlOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error("Can't read this file."));
    reader.readAsDataURL(file);
  });
}
