// The one way in which this page makes elements. Everything put in between is a text node or a property: no text from
// a server is ever read as HTML.
import htm from "htm";
import { h } from "preact";

export const html = htm.bind(h);
