// The pages work without this script: it opens the menu on wide screens and adds buttons that copy code.
const menu = document.querySelector('.menu');
const wide = matchMedia('(min-width: 60rem)');
const follow = () => {
  menu.open = wide.matches;
};
wide.addEventListener('change', follow);
follow();
menu.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });

for (const block of document.querySelectorAll('pre[class*="language-sh"], pre[class*="language-ts"]')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.textContent.trim());
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
  const frame = document.createElement('div');
  frame.className = 'copy';
  block.replaceWith(frame);
  frame.append(block, button);
}
