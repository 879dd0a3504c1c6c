/** What is drawn on a certificate. */
export type CertificateInput = {
  /** As shown: four groups of four characters. */
  Number: string;
  VerifyURL: string;
  /** null once the person has been erased. */
  Name: string | null;
  LoginID: string | null;
  CourseTitle: string;
  Issuer: string;
  Outcome: 'passed' | 'completed';
  /** Per cent. */
  Score: number | null;
  /** RFC 3339 times. */
  IssuedAt: string;
  CompletedAt: string;
  ValidUntil: string | null;
  /** null: the standard texts of the language. */
  Title: string | null;
  Text: string | null;
  Layout: 'classic' | 'modern';
  PaperSize: 'A4' | 'Letter';
  Signatures: readonly { Name: string; Role: string | null; Image: Picture | null }[];
  Serial: string | null;
  Language: 'en' | 'de' | 'fr';
  /** In which days are shown, an IANA name. */
  TimeZone: string;
  /** #rrggbb */
  Colour: string | null;
  Logo: Picture | null;
  /** Files inside the PDF. */
  attachments: readonly Attachment[];
};

export type Picture = { type: string; width: number; height: number; content: Uint8Array };

export type Attachment = { name: string; type: string; description: string; content: Uint8Array };

export type BadgeInput = {
  /** Of the course. */
  Title: string;
  Issuer: string;
  /** #rrggbb */
  Colour: string | null;
  /** As a JWT. */
  credential: string;
  type: 'image/png' | 'image/svg+xml';
};

/** What the service sends to the thread that draws certificates and badges. */
export type DrawTask = { id: number } & ({ certificate: CertificateInput } | { badge: BadgeInput });
/** What the thread sends back. */
export type DrawTaskResult = { id: number } & ({ file: Uint8Array } | { error: Error });

/** Finds a document that a credential refers to, such as a key. null: unknown. */
type Load = (url: string) => Promise<object | null>;

/** Proofs inside of credentials (Verifiable Credential Data Integrity 1.0). */
export type Proofs = {
  signCredential: (input: {
    credential: object;
    /** The time of the proof, RFC 3339 without milliseconds. */
    created: string;
    /** The DID URL of the key. */
    keyId: string;
    /** Signs with Ed25519. */
    sign: (data: Uint8Array) => Promise<Uint8Array>;
    now?: Date;
    load: Load;
  }) => Promise<object>;
  /** Checks the data model, the contexts and the proof, but not whether the credential was revoked. */
  verifyCredential: (input: {
    credential: object;
    load: Load;
    now?: Date;
  }) => Promise<{ isVerified: boolean; reason: string | null }>;
};
