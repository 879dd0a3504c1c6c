import { type FeaturePolicy, isUnloadForbidden } from './unload.ts';

/** Features that courses use and that the page that frames the player may withhold from it. */
const features = ['fullscreen', 'autoplay', 'microphone', 'camera'];

/** Tells the integrator about withheld features and events. Only Chromium says which ones are. */
export function reportWithheldFeatures(): void {
  const policy: FeaturePolicy | undefined = Reflect.get(document, 'featurePolicy');
  if (window.top !== window && isUnloadForbidden())
    console.warn(
      'This page or a page around it forbids unload events, in which many courses report their results. Send no Permissions-Policy with unload=().',
    );
  const withheld =
    window.top === window || !policy ? [] : features.filter((name) => !policy.allowsFeature(name));
  if (withheld.length === 0) return;
  const allow = withheld.map((name) => `${name} *`).join('; ');
  console.warn(
    `The frame withholds features from the course. To grant them, add allow="${allow}". The * is needed because the launch redirects to another origin.`,
  );
}
