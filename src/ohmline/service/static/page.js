import{httpTransport as t,mount as e}from"./app.js";e(document.getElementById("page"),t(),{page:!0});
