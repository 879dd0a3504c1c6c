import { maxLogoBytes } from '../../../standards/logo.ts';

/** Why the browser cannot use a file. The service checks the rest. */
export type LogoProblem = 'tooLarge' | 'unreadable';

/** A chosen image as a data: URL, which the page's policy allows for images. */
export async function readLogoFile(file: File): Promise<{ url: string } | { problem: LogoProblem }> {
  if (file.size > maxLogoBytes) return { problem: 'tooLarge' };
  const url = await new Promise<string>((resolve) => {
    const reader = new FileReader();
    reader.addEventListener('loadend', () => resolve(typeof reader.result === 'string' ? reader.result : ''));
    reader.readAsDataURL(file);
  });
  const image = new Image();
  image.src = url;
  const isImage = await image.decode().then(
    () => true,
    () => false,
  );
  return isImage ? { url } : { problem: 'unreadable' };
}

/** The part of a data: URL that the API expects. */
export const base64Of = (url: string) => url.slice(url.indexOf(',') + 1);
