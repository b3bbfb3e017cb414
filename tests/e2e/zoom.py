"""Find the parts of a page that are lost at 200 % zoom, when a window of 1280 px shows as much as one of 640 px."""

from playwright.sync_api import Page, ViewportSize

WINDOW: ViewportSize = {"width": 1280, "height": 800}
ZOOMED: ViewportSize = {"width": 640, "height": 400}
# Every control gets the focus in turn, which scrolls it into view; no other element may cover its middle.
_LOST = """() => {
  const lost = [], wide = document.documentElement.scrollWidth;
  const said = one => one.outerHTML.slice(0, 100).replace(/\\s+/g, ' ');
  if (wide > innerWidth) lost.push(`is ${wide} px wide`);
  const shown = one => one.checkVisibility({visibilityProperty: true}) && one.getClientRects().length
    && !one.closest('.hidden, .skip, [aria-hidden=true]');
  for (const one of document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary')) {
    if (!shown(one) || one.disabled) continue;
    one.focus();
    if (document.activeElement !== one || one.tabIndex < 0) { lost.push(`no key leads to ${said(one)}`); continue; }
    one.scrollIntoView({block: 'center', inline: 'center'});
    const box = one.getClientRects()[0];
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    if (!top || !(one.contains(top) || top.contains(one))) lost.push(`${said(one)} lies under ${top && said(top)}`);
  }
  for (const one of document.querySelectorAll('main *')) {
    const hides = ['hidden', 'clip'].includes(getComputedStyle(one).overflowX);  // for eyes: 1 px is for ears
    if (hides && one.clientWidth > 1 && shown(one) && one.scrollWidth > one.clientWidth + 1)
      lost.push(`cut off: ${said(one)}`);
  }
  return lost;
}"""


def lost_at_200_percent(page: Page) -> list[str]:
    page.set_viewport_size(ZOOMED)
    lost: list[str] = page.evaluate(_LOST)
    page.set_viewport_size(WINDOW)
    return lost
