// The eighty numbers. Groups are shown by colour and by letter; a press adds to the group at hand.

const NUMBERS = 80;
const COLOURS = 8;

export function letter(place) {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return place < 26 ? alphabet[place] : letter(Math.floor(place / 26) - 1) + alphabet[place % 26];
}

export class Pad {
  constructor(element, onPress) {
    this.buttons = [];
    for (let number = 1; number <= NUMBERS; number += 1) {
      const button = document.createElement("button");
      button.type = "button";
      button.tabIndex = -1; // the line is quicker; the pad is for whoever points
      button.textContent = number;
      button.addEventListener("click", () => onPress(number));
      element.append(button);
      this.buttons.push(button);
    }
  }

  show(groups) {
    const marked = new Map();
    groups.forEach((group, place) => {
      for (const number of group) marked.set(number, { place, king: group.length === 1 && groups.length > 1 });
    });
    this.buttons.forEach((button, index) => {
      const mark = marked.get(index + 1);
      button.toggleAttribute("data-king", Boolean(mark?.king));
      if (mark) {
        button.dataset.group = letter(mark.place);
        button.dataset.colour = mark.place % COLOURS;
        button.setAttribute("aria-label", `${index + 1}, group ${letter(mark.place)}`);
      } else {
        delete button.dataset.group;
        delete button.dataset.colour;
        button.removeAttribute("aria-label");
      }
    });
  }
}
