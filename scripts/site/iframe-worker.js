// Browsers start no worker for a page that is opened as a file. So the search runs in a hidden frame there.
class IFrameWorker extends EventTarget {
  constructor(url) {
    super();
    const frame = document.createElement("iframe");
    frame.hidden = true;
    document.body.appendChild(frame);
    const inside = (this.inside = frame.contentWindow);
    const add = (source) =>
      new Promise((resolve, reject) => {
        const script = inside.document.createElement("script");
        Object.assign(script, { src: source, onload: resolve, onerror: reject });
        inside.document.body.appendChild(script);
      });
    inside.postMessage = (data) => {
      const event = new MessageEvent("message", { data });
      this.dispatchEvent(event);
      if (this.onmessage) this.onmessage(event);
    };
    inside.importScripts = (...sources) => sources.reduce((before, source) => before.then(() => add(source)), Promise.resolve());
    // The index is a script beside the worker (plugin offline): the frame needs the one of the page.
    inside.__index = window.__index;
    this.ready = add(new URL(url, location.href).href);
  }

  postMessage(data) {
    this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
  }

  terminate() {}
}

if (location.protocol === "file:") window.Worker = IFrameWorker;
