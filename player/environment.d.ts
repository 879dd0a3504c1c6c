// scorm-again's types leave out what its classes inherit, and say that the classes are default exports, which they are not.
declare module 'scorm-again/scorm12/min' {
  export const Scorm12API: new (settings: object) => import('./scorm12.ts').Engine12;
}
declare module 'scorm-again/scorm2004/min' {
  export const Scorm2004API: new (settings: object) => import('./scorm2004.ts').Engine2004;
}
