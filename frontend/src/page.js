import { httpTransport, mount } from "./app.js";

mount(document.getElementById("page"), httpTransport(), { page: true });
