// The token that a request which changes something must carry.

export function csrfToken() {
  // The cookie before the page's own token: it is the newer one after signing in again in another tab.
  const cookie = document.cookie.match(/(?:^|; )\w*csrf\w*=([^;]+)/);
  return cookie ? cookie[1] : document.querySelector("[name=csrfmiddlewaretoken]").value;
}
