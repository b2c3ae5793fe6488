# SPDX-License-Identifier: GPL-3.0-or-later
# Figure 4: CPU time of sending a message by its size. gnuplot -e "data='table2.dat'"
set terminal svg size 1080,420 dynamic enhanced background "#ffffff" font "sans-serif,11"
set multiplot layout 1,3
set xlabel "message (bytes)"
set ylabel "CPU time an operation (us)"
set key below
set grid
set yrange [0:*]
set xrange [0:9000]
set xtics 2000
pick(net, steering, value) = (strcol(1) eq net && strcol(2) eq steering) ? value : NaN
wire(value) = (strcol(1) ne "loopback" && strcol(1) ne "veth") ? value : NaN
colour(s) = s eq "on" ? "#c04030" : "#3060a0"
do for [net in "loopback veth"] {
	set title net
	plot for [s in "off on"] data using 3:(pick(net, s, $5)):(pick(net, s, $6)):(pick(net, s, $7)) \
		with yerrorbars pt 7 ps 0.5 lc rgb colour(s) title "displacement, steering ".s, \
	     for [s in "off on"] data using 3:(pick(net, s, $4)) \
		with points pt 6 ps 0.8 lc rgb colour(s) title "getrusage, steering ".s
}
set title "veth as a wire of a limited rate"
plot data using 3:(wire($5)):(wire($6)):(wire($7)) with yerrorbars pt 7 ps 0.5 lc rgb "#208040" title "displacement", \
     data using 3:(wire($4)) with points pt 6 ps 0.8 lc rgb "#208040" title "getrusage"
unset multiplot
