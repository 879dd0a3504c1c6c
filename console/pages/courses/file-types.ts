/** What the service accepts as a course, by the end of the file's name. */
const types = {
  zip: 'application/zip',
  pdf: 'application/pdf',
  mp4: 'video/mp4',
  mp3: 'audio/mpeg',
  html: 'text/html',
  htm: 'text/html',
} as const;

const endOf = (name: string) => name.slice(name.lastIndexOf('.') + 1).toLowerCase();

export const typeOf = (name: string): string => types[endOf(name) as keyof typeof types] ?? 'application/zip';

/** A file that has no title of its own, unlike a package. */
export const isSingleFile = (name: string): boolean => typeOf(name) !== 'application/zip';

/** For a file dialog and a drop. Windows calls zips differently. */
export const accepted: Record<string, string[]> = {
  'application/zip': ['.zip'],
  'application/x-zip-compressed': ['.zip'],
  'application/pdf': ['.pdf'],
  'video/mp4': ['.mp4'],
  'audio/mpeg': ['.mp3'],
  'text/html': ['.html', '.htm'],
};
