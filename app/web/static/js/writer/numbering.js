// A ticket's number as it is printed: the number and Damm's check digit, as 1234-0.

const TABLE = [
  "0317598642", "7092154863", "4206871359", "1750983426", "6123045978",
  "3674209581", "5869720134", "8945362017", "9438617205", "2581436790",
];

export function printedNumber(number) {
  let interim = 0;
  for (const digit of String(number)) interim = Number(TABLE[interim][Number(digit)]);
  return `${number}-${interim}`;
}
