import type { components } from '../../../client/src/generated.ts';

export type Certificate = components['schemas']['Certificate'];
export type Template = components['schemas']['CertificateTemplate'];
export type Rule = Omit<Template, 'CourseID' | 'UpdatedAt'>;
