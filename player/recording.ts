import { make } from './elements.ts';
import type { MediaFile, ShownFile } from './media-file.ts';
import { language, messages } from './messages.ts';

/** A longer step between two reports was a jump, or a background tab that pauses its timers. */
const longestStep = 2;

/** Plays a video or an audio file with the browser's own controls. What has been played counts as watched. */
export function showRecording(file: MediaFile, kind: 'video' | 'audio'): Promise<ShownFile> {
  const { place, title, address, location, saw, at } = file;
  const player = make(kind, '');
  Object.assign(player, { controls: true, preload: 'metadata', src: address });
  player.setAttribute('aria-label', title);
  player.setAttribute('playsinline', '');
  addCaptions(player, file);
  let last: number | null = null;

  const step = () => {
    const now = player.currentTime;
    const rate = Math.max(1, player.playbackRate);
    if (last !== null && now > last && now - last <= longestStep * rate) saw(last, now, player.duration);
    last = now;
    at(Math.floor(player.ended ? 0 : now));
  };
  player.addEventListener('timeupdate', step);
  player.addEventListener('pause', step);
  player.addEventListener('ended', step);
  // A jump starts a new part.
  player.addEventListener('seeking', () => {
    last = null;
  });
  player.addEventListener('playing', () => {
    last ??= player.currentTime;
  });

  const close = () => {
    player.pause();
    player.removeAttribute('src');
    player.load();
  };
  place.append(...(kind === 'audio' ? [make('p', 'media-title', title)] : []), player);
  return new Promise((resolve) => {
    player.addEventListener('loadedmetadata', () => {
      if (location > 0 && location < player.duration - 1) player.currentTime = location;
      resolve({ loaded: 'shown', close });
    });
    player.addEventListener('error', () => {
      const isUnreachable = player.error?.code === MediaError.MEDIA_ERR_NETWORK;
      resolve({ loaded: isUnreachable ? 'unreachable' : 'missing', close });
    });
  });
}

/** Captions are on from the start, in the learner's language if there are several. */
function addCaptions(player: HTMLMediaElement, { captions }: MediaFile): void {
  const wanted = [language, ...navigator.languages].map((tag) => tag.toLowerCase().split('-')[0]);
  const fits = (tag: string | null) => wanted.includes(tag?.toLowerCase().split('-')[0] ?? '');
  const chosen = captions.find((one) => fits(one.language)) ?? captions[0];
  for (const one of captions) {
    const track = make('track', '');
    Object.assign(track, { kind: 'captions', src: one.address, default: one === chosen });
    track.srclang = one.language ?? language;
    track.label = nameOf(one.language);
    player.append(track);
    if (one === chosen) track.track.mode = 'showing';
  }
}

function nameOf(tag: string | null): string {
  if (tag === null) return messages.captions;
  return new Intl.DisplayNames([language], { type: 'language' }).of(tag) ?? tag;
}
