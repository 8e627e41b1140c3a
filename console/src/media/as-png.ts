/**
 * Types of images that browsers can read and the API does not accept. `media-kit/src/inspect-file.ts` decides which
 * types the API accepts.
 */
export const convertedTypes = ['image/webp', 'image/avif'];

/**
 * Converts a file to PNG if the API does not accept its type. Returns any other file unchanged.
 *
 * @throws Error with a sentence when the browser cannot read the file
 */
export async function asPng(file: File): Promise<File> {
  if (!convertedTypes.includes(file.type)) return file;
  const unreadable = new Error(`${file.name} cannot be read by this browser. Save it as PNG or JPEG first.`);
  const image = await createImageBitmap(file).catch(() => {
    throw unreadable;
  });
  const canvas = document.createElement('canvas');
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext('2d')?.drawImage(image, 0, 0);
  image.close();
  const png = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (png === null) throw unreadable;
  return new File([png], file.name.replace(/\.\w+$/, '.png'), { type: 'image/png' });
}
