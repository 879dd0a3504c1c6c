// scorm-again's types omit inherited members and wrongly declare the classes as default exports.
declare module 'scorm-again/scorm12/min' {
  export const Scorm12API: new (settings: object) => import('./scorm12.ts').Engine12;
}
declare module 'scorm-again/scorm2004/min' {
  export const Scorm2004API: new (settings: object) => import('./scorm2004.ts').Engine2004;
}
