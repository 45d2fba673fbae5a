#!/usr/bin/env bash
# Prints the price of an order in cents: discount.sh PRICE QUANTITY
price=$1
quantity=$2
total=$((price * quantity))
if [ "$quantity" -gt 10 ]; then
  total=$((total * 90 / 100))
fi
echo "$total"
