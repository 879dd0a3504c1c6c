/**
 * Thrown for a value that the specification does not allow. `path` locates the value, and `detail` says what
 * is wrong.
 */
export class InvalidXapi extends Error {
  readonly path: string;

  constructor(path: string, detail: string) {
    super(path === '' ? detail : `${path} ${detail}`);
    this.name = 'InvalidXapi';
    this.path = path;
  }
}

export function invalid(path: string, detail: string): never {
  throw new InvalidXapi(path, detail);
}
