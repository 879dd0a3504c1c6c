/** Tells the author of a package why it is rejected. `place` says where the problem is, if known. */
export class PackageRejection extends Error {
  readonly code: 'package_invalid' | 'package_unsafe' | 'package_unsupported';
  readonly place: { file?: string; line?: number };

  constructor(code: PackageRejection['code'], detail: string, place: PackageRejection['place'] = {}) {
    super(detail);
    this.code = code;
    this.place = place;
  }
}
